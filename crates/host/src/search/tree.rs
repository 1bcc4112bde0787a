//! The next decisions of the seat that searches, after an action that it tries.
//!
//! The tree has the decisions of the searching seat alone, two of them. Its own actions name them, so that it never chooses by
//! what it cannot know. The decisions of the other seats are left to `greedy`, or to the net that guides the search: a tree of
//! all seats was worse in trials.
//!
//! Games have a tree where measuring shows a gain over the search without it, with as many playouts:
//!
//! | game | seats | playouts | decisions | won | standard error |
//! |---|---|---|---|---|---|
//! | board game | 2 | 100 | 2 | .725 | .108 |
//! | card game | 2 | 200 | 4 | .635 | .033 |
//! | card game | 4 | 200 | 4 | .310 (even .250) | .023 |
//! | Rappa Nui | 2 | | | .478 | .025 |
//! | Giants | 3 | | | .385 (even .333) | .073 |
//!
//! In the card game two decisions were as good as four (.486, standard error .023). The playouts of a candidate build on each
//! other. So cores share the sampling of worlds and the candidates, and one core plays all playouts of a candidate.

use ahu_core::{ActionId, ActionSet};

/// The number of playouts in which the policy makes a decision before the tree does.
const BY_POLICY: u32 = 3;
/// The weight of actions with few visits.
const EXPLORATION: f64 = 0.2;
/// The part of that weight which the choice of the policy has; the other actions share the rest.
const PRIOR: f64 = 0.6;

/// The next decisions of the seat, with the means that its actions have had so far. A decision is named by the seat's own
/// actions up to it: chance and the other seats may have brought it about in any way. So the seat chooses without
/// knowing the sampled world.
pub(super) struct Tree {
    /// The number of decisions that a playout may take from the tree.
    depth: usize,
    /// The decisions; the first is that after the action that is tried.
    nodes: Vec<Node>,
}

/// A decision of the seat.
#[derive(Default)]
struct Node {
    visits: u32,
    arms: Vec<Arm>,
}

/// An action of a decision.
struct Arm {
    id: ActionId,
    visits: u32,
    /// The sum of the utilities of its playouts.
    sum: f64,
    /// The number of the next decision.
    next: usize,
}

/// The way of one playout through the tree.
pub(super) struct Way<'a> {
    tree: &'a mut Tree,
    /// The number of the decision that comes next in the tree; None below the tree.
    at: Option<usize>,
    /// The decisions so far: each node with its arm.
    taken: Vec<(usize, usize)>,
}

impl Tree {
    pub(super) fn new(depth: usize) -> Self {
        Self { depth, nodes: vec![Node::default()] }
    }

    /// Adds an action to a decision, with the decision that comes next. Returns the number of its arm.
    fn add(&mut self, node: usize, id: ActionId) -> usize {
        let next = self.nodes.len();
        self.nodes.push(Node::default());
        let arms = &mut self.nodes[node].arms;
        arms.push(Arm { id, visits: 0, sum: 0.0, next });
        arms.len() - 1
    }

    /// Begins a playout.
    pub(super) fn begin(&mut self) -> Way<'_> {
        let at = (self.depth > 0).then_some(0);
        Way { tree: self, at, taken: Vec::new() }
    }
}

impl Way<'_> {
    /// Returns the seat's choice for its next decision, where `policy` is the choice of the policy.
    pub(super) fn choose(&mut self, legal: &ActionSet, policy: ActionId) -> ActionId {
        let Some(at) = self.at else { return policy };
        let node = &mut self.tree.nodes[at];
        node.visits += 1;
        if node.visits <= BY_POLICY {
            self.at = None;
            return policy;
        }
        let id = node.best(legal, policy);
        let arm = node.arms.iter().position(|arm| arm.id == id).unwrap_or_else(|| self.tree.add(at, id));
        self.taken.push((at, arm));
        self.at = (self.taken.len() < self.tree.depth).then_some(self.tree.nodes[at].arms[arm].next);
        id
    }

    /// Ends the playout with its utility.
    pub(super) fn end(self, utility: f64) {
        for (node, arm) in self.taken {
            let arm = &mut self.tree.nodes[node].arms[arm];
            arm.visits += 1;
            arm.sum += utility;
        }
    }
}

impl Node {
    /// Returns the action with the highest bound on its mean, by the rule PUCT of Silver and others, "Mastering the game of Go
    /// without human knowledge", 2017. Each action counts as if it had been tried once with the mean of all.
    fn best(&self, legal: &ActionSet, policy: ActionId) -> ActionId {
        let available = || self.arms.iter().filter(|arm| legal.contains(arm.id));
        let visits = f64::from(available().map(|arm| arm.visits).sum::<u32>());
        let mean = if visits > 0.0 { available().map(|arm| arm.sum).sum::<f64>() / visits } else { 0.5 };
        let others = (1.0 - PRIOR) / (legal.len() - 1) as f64;
        let bound = |id: ActionId| {
            let (own, sum) = available().find(|arm| arm.id == id).map_or((0, 0.0), |arm| (arm.visits, arm.sum));
            let tries = f64::from(own + 1);
            let prior = if id == policy { PRIOR } else { others };
            (sum + mean) / tries + EXPLORATION * prior * (visits + 1.0).sqrt() / tries
        };
        let mut best = (f64::MIN, policy);
        for id in legal.iter() {
            let bound = bound(id);
            if bound > best.0 {
                best = (bound, id);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: ActionId = ActionId(3);

    fn legal(ids: &[u16]) -> ActionSet {
        let mut legal = ActionSet::with_ids(8);
        for &id in ids {
            legal.insert_bits(ActionId(id), 1);
        }
        legal
    }

    /// Plays one playout of two decisions, in which the pair 5, 7 is worth 1, and others nothing.
    fn play(tree: &mut Tree) -> (ActionId, ActionId) {
        let mut way = tree.begin();
        let first = way.choose(&legal(&[3, 5, 6]), POLICY);
        let second = way.choose(&legal(&[3, 7]), POLICY);
        way.end(if (first, second) == (ActionId(5), ActionId(7)) { 1.0 } else { 0.0 });
        (first, second)
    }

    #[test]
    fn a_tree_finds_a_plan_that_the_policy_does_not_see() {
        let mut tree = Tree::new(2);
        let choices: Vec<_> = (0..400).map(|_| play(&mut tree)).collect();
        assert!(choices[..BY_POLICY as usize].iter().all(|&choice| choice == (POLICY, POLICY)), "the policy is first");
        let best = choices[300..].iter().filter(|&&choice| choice == (ActionId(5), ActionId(7))).count();
        assert!(best > 80, "{best} of 100");
    }

    #[test]
    fn below_its_depth_a_tree_leaves_decisions_to_the_policy() {
        let mut flat = Tree::new(0);
        assert!((0..100).all(|_| play(&mut flat) == (POLICY, POLICY)));
        let mut one = Tree::new(1);
        let choices: Vec<_> = (0..100).map(|_| play(&mut one)).collect();
        assert!(choices.iter().all(|choice| choice.1 == POLICY));
        assert!(choices.iter().any(|choice| choice.0 != POLICY));
    }
}
